// Prints the import time of some modules in this new process, in milliseconds by the clock and of the processor.
import { performance } from 'node:perf_hooks';

const modules = process.argv.slice(2);
const began = performance.now();
const cpu = process.cpuUsage();
for (const name of modules) await import(name);
const took = performance.now() - began;
const { user, system } = process.cpuUsage(cpu);
console.log(JSON.stringify({ times: 1, took, processor: (user + system) / 1_000 }));
process.exit();
