// The storage in memory keeps the contract of storages.
import { storageContract } from "./storage/contract.ts";
import { MemoryStorage } from "./memory-storage.ts";

storageContract("in-memory", () => {
  let storage: MemoryStorage | undefined;
  return Promise.resolve({
    open: (wanted) => Promise.resolve((storage ??= new MemoryStorage(wanted))),
    remove: () => Promise.resolve(),
  });
});
