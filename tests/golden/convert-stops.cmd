parplan convert plans/mistake-degrees.yaml --to torchtitan
