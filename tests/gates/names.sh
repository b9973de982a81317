#!/bin/sh
# What is known of a framework lies in its wing: no string literal outside src/wings and src/presets is a name of one, by
# itself or in a list of words ("a|b"). Names are the folders there and what their rows are called, but torch and torchft,
# which are below them. `known` lists what is left, and why; it only shrinks. No floor above the wings includes a header of one.
exec python3 - <<'END'
import collections, glob, os, re

known = {
    'launchers are programs that frameworks bring, and lie below wings': {
        'src/input/fields.def': 2, 'src/input/launch/launchers.c': 5,
    },
}


def code(path):
    return re.sub(r'/\*.*?\*/|//[^\n]*', '', open(path).read(), flags=re.S) if path.endswith(('.c', '.h', '.cc')) \
        else re.sub(r'/\*.*?\*/', '', open(path).read(), flags=re.S)


names = {os.path.basename(folder[:-1]).replace('_', '-') for folder in glob.glob('src/wings/*/')}
for path in glob.glob('src/wings/*/*.c'):
    for row in re.findall(r'^const struct (?:framework|wing|dialect) \w+ = \{(.*?)^\};', open(path).read(), re.S | re.M):
        names.update(re.findall(r'^\t\.(?:name|framework) = "([^"]*)"', row, re.M))
names -= {'torch', 'torchao', 'torchft', 'k8s', 'known'}  # libraries, manifests, and what is known and not modelled

found = collections.Counter()
lines = collections.defaultdict(list)
for path in sorted(sum((glob.glob('src/**/*.' + end, recursive=True) for end in ('c', 'h', 'def', 'cc')), [])):
    part = path.split('/')
    if part[1] in ('wings', 'presets'):
        continue
    for literal in re.findall(r'"((?:[^"\\\n]|\\.)*)"', code(path)):
        for word in literal.split('|'):
            if word in names:
                found[path] += 1
                lines[path].append(word)
allowed = {path: count for paths in known.values() for path, count in paths.items()}
for path, count in sorted(found.items()):
    if count > allowed.get(path, 0):
        print('%s: %s: ask for a habit or a row of a wing (src/framework/wing.h)' % (path, ', '.join(sorted(set(lines[path])))))
for folder in 'rules', 'sim', 'report', 'cli', 'evidence', 'draw':
    for path in sorted(glob.glob('src/%s/**/*.[ch]' % folder, recursive=True)):
        for header in re.findall(r'^#include "(wings/[^"]*)"', open(path).read(), re.M):
            print('%s: %s: ask for a habit, a row or a hook of a wing (src/framework/wing.h)' % (path, header))
for path, count in sorted(allowed.items()):
    if found[path] < count:
        print('tests/gates/names.sh: %s names %d now, not %d' % (path, found[path], count))
END
