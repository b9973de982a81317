pip install -r requirements.txt
python tools/convert.py --in a --out b
