parplan explain torchtitan
