#!/usr/bin/env node
// An older Node cannot load the rest and would answer with a stack, so nothing here is newer than Node 12 understands.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > 20 || (major === 20 && minor >= 19)) {
  void import('./program.ts');
} else {
  process.stderr.write(`cloud-platform-exporter needs Node 20.19 or newer; this is ${process.version}\n`);
  process.exitCode = 1;
}
