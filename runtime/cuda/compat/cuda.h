/* compat/cuda.h: the real cuda.h, with some functions as they were in CUDA 11.8.
 *
 * cuda.h maps the plain name of a function, cuCtxCreate, to its newest version, for
 * example cuCtxCreate_v4, and drivers keep all versions. gorgonia.org/cu was written for
 * the versions below. It does not compile with those of CUDA 13, and some of CUDA 12 and
 * 13 need a recent driver without any benefit. With this header it imports the same
 * functions, those of symbols.h, from every CUDA version.
 *
 * tools/cuda-env.sh puts this folder in front of the real one. */
#ifndef HZ_COMPAT_CUDA_H
#define HZ_COMPAT_CUDA_H

#include_next <cuda.h>

#undef cuCtxCreate
#define cuCtxCreate cuCtxCreate_v2
CUresult CUDAAPI cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev);

#undef cuDeviceGetUuid
CUresult CUDAAPI cuDeviceGetUuid(CUuuid *uuid, CUdevice dev);

#undef cuEventElapsedTime
CUresult CUDAAPI cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd);

#undef cuMemAdvise
CUresult CUDAAPI cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device);

#undef cuMemPrefetchAsync
CUresult CUDAAPI cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream);

#undef cuStreamWaitValue32
CUresult CUDAAPI cuStreamWaitValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags);

#undef cuStreamWriteValue32
CUresult CUDAAPI cuStreamWriteValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags);

#undef cuGraphAddDependencies
CUresult CUDAAPI cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                        size_t numDependencies);

#undef cuGraphGetEdges
CUresult CUDAAPI cuGraphGetEdges(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, size_t *numEdges);

/* Its parameter struct grew in CUDA 12; the older function reads the first part. */
#undef cuGraphAddKernelNode
CUresult CUDAAPI cuGraphAddKernelNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                      size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS *nodeParams);

#endif
