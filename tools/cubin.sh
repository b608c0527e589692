#!/bin/sh
# Compiles the kernels that every run needs, those of kernels/*.cc, for common GPUs ahead,
# if this machine has ptxas: in PATH, or in CUDA_HOME. Without it, and on other GPUs, the
# driver compiles their PTX, which takes a quarter of a second when a program starts for the
# first time. Schemes are left to the driver: they have thousands of kernels, of which a run
# needs a few.
#
# From kernels/ptx/NAME.sm_70.ptx.gz it makes NAME.sm_70.DIGEST.sm_NN.cubin.gz, with the
# digest of that file, so that none is ever used with other PTX. kernels/ptx.go embeds them.
set -eu
cd "$(dirname "$0")/../kernels/ptx"
ptxas=$(command -v ptxas || command -v "${CUDA_HOME:-/usr/local/cuda}/bin/ptxas" || true)

compile() { # PTX GPU RESULT
  gunzip -c "$1" >"$3.ptx.part"
  if "$ptxas" -arch="$2" -o "$3.part" "$3.ptx.part" 2>"$3.log.part"; then
    gzip -n -9 <"$3.part" >"$3.gz.part"
    mv "$3.gz.part" "$3.gz"
  else
    echo "$ptxas does not compile ${1%.gz} for $2, so the driver will: $(head -n 1 "$3.log.part")" >&2
  fi
  rm -f "$3".*part "$3.part"
}

wanted=" "
if [ -n "$ptxas" ]; then
  for source in ../*.cc; do
    name=$(basename "$source" .cc)
    [ -e "$name.sm_70.ptx.gz" ] || continue
    digest=$(sha256sum <"$name.sm_70.ptx.gz" | cut -c 1-16)
    for gpu in sm_80 sm_90; do
      result=$name.sm_70.$digest.$gpu.cubin
      wanted="$wanted$result.gz "
      [ -e "$result.gz" ] || compile "$name.sm_70.ptx.gz" "$gpu" "$result"
    done
  done
fi
for old in *.cubin*; do
  case $wanted in *" $old "*) ;; *) rm -f "$old" ;; esac
done
