import type {
  checkProviders,
  exportStoreFile,
  importStoreFile,
  makeBackup,
  makeServiceKeys,
  restoreBackup,
  startParts,
  startSandboxRegistry,
  startStandaloneNode,
} from "@hostledger/host";
import type { Io } from "./io.ts";

/** Functions that run parts of the system in this process. */
export interface System {
  readonly startParts: typeof startParts;
  readonly startStandaloneNode: typeof startStandaloneNode;
  readonly exportStoreFile: typeof exportStoreFile;
  readonly importStoreFile: typeof importStoreFile;
  readonly makeBackup: typeof makeBackup;
  readonly makeServiceKeys: typeof makeServiceKeys;
  readonly restoreBackup: typeof restoreBackup;
  readonly startSandboxRegistry: typeof startSandboxRegistry;
  readonly checkProviders: typeof checkProviders;
}

/** Dependencies of commands, passed at registration. */
export interface CommandContext {
  readonly io: Io;
  /** Imports the whole system; called only by commands that run a part. */
  readonly loadSystem: () => Promise<System>;
}
