// Preloaded into a host by `node --import`: hangs its main thread when SIGUSR2 comes.
import process from "node:process";

process.on("SIGUSR2", function hangOnSignal() {
  for (let count = 0; count >= 0; count = (count + 1) % 1000);
});
