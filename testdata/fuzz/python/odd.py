def f(a=1, *, b=(2, [3, {"k": -4 // 2}])): return g(a, b=b, **{"x": lambda y: y})
x = y = z = f(); x.a.b = x; x.l = [x]; y[0] = 1; del z.a
class C: pass
@d
def h(): return C(1)
async def i():
	for x in y: x.a += 1
	with open("a") as f, g() as h: f.b = """t
r""" 'i' f"p{l}e" rb'\x'
	if a: return f()
	else: return ((((((((((-----1))))))))))
s = 'unterminated
