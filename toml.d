toml.o: tests/msan/ignored src/input/syntax/toml.cc src/base/die.h \
  src/base/text.h src/base/arena.h src/input/node.h src/base/map.h \
  src/base/source.h src/base/vec.h src/input/syntax/reader.h \
  src/base/finding.h

tests/msan/ignored:

src/base/die.h:

src/base/text.h:

src/base/arena.h:

src/input/node.h:

src/base/map.h:

src/base/source.h:

src/base/vec.h:

src/input/syntax/reader.h:

src/base/finding.h:
