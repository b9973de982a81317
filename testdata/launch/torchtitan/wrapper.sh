MODULE=llama3 CONFIG=llama3_70b NGPU=16 ./run_train.sh --parallelism.pipeline_parallel_degree 2
