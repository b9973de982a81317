#!/bin/sh
# A path or a name of somebody's file stands on one line of a text: where a file's path is formatted, text_on_line
# (base/text.h) makes it so. JSON, HTML and Markdown have quoting of their own, and what is said on stderr and what a
# finding says is one line anyway.
exec python3 - <<'END'
import glob, re

# Who formats a path otherwise: why that is no line of a text.
known = {
    'src/cli/baselines.c': 'the name of an option, which is said on stderr',
    'src/rules/baseline.c': 'why a baseline cannot be read, which is said on stderr',
    'src/rules/change_findings.c': 'a key, which nobody sees',
    'src/report/origin.c': 'lines that are put on one line as a whole',
    'src/report/findings/assumptions.c': 'a paragraph that is put on one line as a whole',
    'src/cli/commands/calibrate.c': 'paths of measurements, which are on one line since they were read',
    'src/report/evidence/verify_text.c': 'paths of evidence, which are on one line since they were read',
    'src/report/evidence/why_text.c': 'paths of logs, which are on one line since they were read',
    'src/report/diff/text.c': 'sides, which are put on one line as a whole',
    'src/report/web/findings.c': 'HTML',
    'src/report/diff/markdown.c': 'markdown_code',
    'src/report/pull/markdown.c': 'markdown_code',
}
used = set()
said = r'\b(outward_say|die|finding_\w+|json_\w+|html_\w+|bug)\s*\('
for path in sorted(glob.glob('src/**/*.c', recursive=True)):
    if path.startswith('src/cuda/'):
        continue
    with open(path, encoding='utf-8') as file:
        text = file.read()
    for call in re.finditer(r'\b(?:buf_printf|arena_printf|buf_text|wrap_text|style_heading)\s*\((?:[^;"]|"(?:[^"\\]|\\.)*")*;', text):
        words = re.sub(r'"(?:[^"\\]|\\.)*"', '""', call.group())
        if re.search(r'(?:source|view|file|unread)(?:->|\.)path\b', words) and not re.search('text_on_line|conversion_file', words) and not re.search(said, words):
            if path in known:
                used.add(path)
                continue
            print('%s:%d: %s' % (path, text.count('\n', 0, call.start()) + 1, ' '.join(words.split())[:120]))
for path in sorted(set(known) - used):
    print('%s formats no path otherwise: strike it from known' % path)
END
