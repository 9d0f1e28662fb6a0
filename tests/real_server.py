"""Serve a real language model, a file in GGUF, by llama.cpp: ``python -m tests.real_server FILE``.

The first line of its output is the address. It ends when its input is closed.
"""

import sys

import xllamacpp

parameters = xllamacpp.CommonParams()
parameters.model.path = sys.argv[1]
parameters.n_ctx, parameters.n_parallel, parameters.port = 4096, 2, 0
# Threads of llama.cpp wait actively, and would take the cores from other tests.
parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
parameters.warmup = False
server = xllamacpp.Server(parameters)
sys.stdout.write(f"{server.listening_address}\n")
sys.stdout.flush()
sys.stdin.read()
