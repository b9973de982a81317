"""Supplies what TorchTitan imports and the installed packages lack, and remembers it. Used only where ORACLE_STUBS is set."""
import builtins, importlib, os, sys, types

OURS = ("torchtitan", "of", "harness")
used = []


class Meta(type):
    """Classes that have every attribute, can be called, subclassed, indexed and used as decorators."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return stub("%s.%s" % (cls.__name__, name))

    def __call__(cls, *args, **kwargs):
        if not cls.__dict__.get("is_stub"):
            return super().__call__(*args, **kwargs)
        return args[0] if len(args) == 1 and not kwargs and callable(args[0]) else stub(cls.__name__ + "()")

    def __getitem__(cls, item):
        return cls

    def __or__(cls, other):
        return cls

    __ror__ = __or__


def stub(name):
    return Meta(name, (), {"is_stub": True})


class Module(types.ModuleType):
    """A module that has every name."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return remember(self, name)


def remember(module, name):
    value = stub(name)
    setattr(module, name, value)
    used.append("%s.%s" % (module.__name__, name))
    return value


def make_module(name):
    sys.modules[name] = Module(name)
    used.append(name)
    parent, _, last = name.rpartition(".")
    if parent in sys.modules:
        setattr(sys.modules[parent], last, sys.modules[name])


def repair(error):
    """Supplies what an exception says is missing; False if it says no such thing or it is TorchTitan's own."""
    name = getattr(error, "name", None) or ""
    if name.split(".")[0] in OURS:
        return False
    if isinstance(error, ModuleNotFoundError):
        make_module(name)
        return True
    wanted = getattr(error, "name_from", None)
    if isinstance(error, ImportError) and not wanted and "cannot import name '" in str(error):
        wanted = str(error).split("cannot import name '")[1].split("'")[0]
    if isinstance(error, ImportError) and wanted and name in sys.modules:
        remember(sys.modules[name], wanted)
        return True
    if isinstance(error, AttributeError) and isinstance(error.obj, types.ModuleType):
        if error.obj.__name__.split(".")[0] in OURS:
            return False
        remember(error.obj, error.name)
        return True
    return False


def install():
    """From here on `import` and `from` never fail for what is not TorchTitan's."""
    if not os.environ.get("ORACLE_STUBS"):
        return
    real = builtins.__import__

    def importing(name, globals=None, locals=None, fromlist=(), level=0):
        for _ in range(50):
            try:
                module = real(name, globals, locals, fromlist, level)
                importer = (globals or {}).get("__name__", "")
                if importer.split(".")[0] == "torchtitan" and level == 0 and name.split(".")[0] not in OURS:
                    for wanted in fromlist or ():
                        if wanted != "*" and not hasattr(module, wanted):
                            try:
                                real(name + "." + wanted)
                            except ImportError:
                                remember(module, wanted)
                return module
            except ImportError as error:
                if (globals or {}).get("__name__", "").split(".")[0] != "torchtitan" or not repair(error):
                    raise
        raise ImportError(name)

    builtins.__import__ = importing


def load(name):
    """Imports a module of TorchTitan; attributes that packages lack are supplied, too."""
    for _ in range(50):
        before = set(sys.modules)
        try:
            return importlib.import_module(name)
        except AttributeError as error:
            if not os.environ.get("ORACLE_STUBS") or not repair(error):
                raise
            for half in [m for m in sys.modules if m not in before and m.startswith("torchtitan")]:
                del sys.modules[half]
    raise ImportError(name)
