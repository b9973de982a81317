CONFIG_FILE=nowhere/titan.toml NGPU=8 ./run_train.sh
