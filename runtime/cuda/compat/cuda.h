/* compat/cuda.h: the real cuda.h, with some functions as CUDA 11.8 had them.
 *
 * A cuda.h gives the plain name of a function, cuCtxCreate, to the newest
 * version of it, here cuCtxCreate_v4, and drivers keep all versions for ever.
 * gorgonia.org/cu was written for those below: with the ones of CUDA 13 it does
 * not compile, and some of CUDA 12 and 13 need a recent driver without giving it
 * anything. With this header it imports the same functions whatever CUDA it is
 * compiled with: symbols.h.
 *
 * tools/cuda-env.sh puts this folder in front of the real one.
 */
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

/* Its parameters got longer in CUDA 12; the older function reads the first part. */
#undef cuGraphAddKernelNode
CUresult CUDAAPI cuGraphAddKernelNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                      size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS *nodeParams);

#endif
