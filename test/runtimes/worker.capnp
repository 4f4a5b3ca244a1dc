# No compatibility flags: nothing of Node.js is there.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.js", esModule = embed "bundle.js")],
      compatibilityDate = "2025-01-01",
    )),
  ],
);
