# build/cuda/parplan-cudabench: measures a device for `parplan calibrate`. No part of parplan: `make cuda` alone builds it.
# CUDA_HOME=FOLDER names a toolkit that is not found by itself, CUDA_ARCH=sm_90 one architecture to compile kernels for.
CUDA_LOOKED := $(patsubst %,%/bin/nvcc,$(CUDA_HOME) $(CUDA_PATH) /usr/local/cuda /opt/cuda /usr)
NVCC      := $(firstword $(wildcard $(CUDA_LOOKED)) $(shell command -v nvcc 2>/dev/null))
CUDA_ROOT := $(patsubst %/bin/nvcc,%,$(NVCC))
CUDA_ARCH ?= all-major
CUDA_HAS   = $(firstword $(wildcard $(CUDA_ROOT)/include/$(1) /usr/include/$(1)))
CUDA_SRC  := $(sort $(wildcard src/cuda/*.c))
CUDA_OBJ  := $(CUDA_SRC:src/cuda/%.c=build/cuda/%.o) build/cuda/kernels.o
CUDA_CPPFLAGS := -isystem $(CUDA_ROOT)/include $(if $(call CUDA_HAS,cudnn.h),-DHAVE_CUDNN) $(if $(call CUDA_HAS,nccl.h),-DHAVE_NCCL)
CUDA_LIBS := -L$(CUDA_ROOT)/lib64 -Wl,-rpath,$(CUDA_ROOT)/lib64 -lcublasLt -lcudart \
             $(if $(call CUDA_HAS,cudnn.h),-lcudnn) $(if $(call CUDA_HAS,nccl.h),-lnccl)

cuda: $(if $(NVCC),build/cuda/parplan-cudabench,no-nvcc)
.PHONY: cuda no-nvcc
no-nvcc:
	@echo "make cuda needs nvcc of the CUDA toolkit; looked at $(CUDA_LOOKED) and on PATH; CUDA_HOME=FOLDER names another" >&2; exit 2
build/cuda/parplan-cudabench: $(CUDA_OBJ) $(LIB)
	$(Q)echo '  LD  $@'; $(link) -o $@ $(CUDA_OBJ) $(LIB) $(CUDA_LIBS) $(LIBS)
build/cuda/%.o: src/cuda/%.c | $(GEN)
	$(Q)echo '  CC  $<'; mkdir -p $(@D); $(compile_c) $(CUDA_CPPFLAGS) -c -o $@ $<
build/cuda/kernels.o: src/cuda/kernels.cu src/cuda/kernels.h
	$(Q)echo '  NVCC $<'; mkdir -p $(@D); $(NVCC) -O2 -Isrc -arch=$(CUDA_ARCH) -Xcompiler -fPIE -c -o $@ $<
-include $(CUDA_SRC:src/cuda/%.c=build/cuda/%.d)
