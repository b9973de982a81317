"""Lets TorchTitan believe that the CPU is its accelerator."""


def use_cpu():
    """Meshes that ask for CUDA get the CPU; device modules answer for one device."""
    import torch
    import torch.distributed.device_mesh as device_mesh

    real = device_mesh.init_device_mesh

    def init_device_mesh(device_type, *args, **kwargs):
        return real("cpu", *args, **kwargs)

    device_mesh.init_device_mesh = torch.distributed.init_device_mesh = init_device_mesh
    if hasattr(torch._utils, "_get_available_device_type"):
        torch._utils._get_available_device_type = lambda: "cpu"
    try:  # kernels are tuned when they are defined, which asks for a driver
        from triton.runtime import driver
    except ImportError:
        return
    driver.set_active(Driver())
    if torch.__version__.startswith("2.6."):  # torch.compile imports it from triton 3.2, which newer ones left behind
        from triton.compiler import compiler

        compiler.AttrsDescriptor = type("AttrsDescriptor", (), {})


class Driver:
    """Stands in for triton's driver of a device."""

    def get_benchmarker(self):
        return lambda kernel, quantiles=None: [0.0]
