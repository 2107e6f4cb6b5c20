import type {
  checkProviders,
  exportStoreFile,
  importStoreFile,
  makeBackup,
  makeServiceKeys,
  restoreBackup,
  startSandboxRegistry,
  startSeparateGateway,
  startSeparateService,
  startStandalone,
  startStandaloneNode,
} from "@hostledger/host";
import type { Io } from "./io.ts";

/** The system, as far as commands bring parts of it up in their own process. */
export interface System {
  readonly startStandalone: typeof startStandalone;
  readonly startSeparateService: typeof startSeparateService;
  readonly startSeparateGateway: typeof startSeparateGateway;
  readonly startStandaloneNode: typeof startStandaloneNode;
  readonly exportStoreFile: typeof exportStoreFile;
  readonly importStoreFile: typeof importStoreFile;
  readonly makeBackup: typeof makeBackup;
  readonly makeServiceKeys: typeof makeServiceKeys;
  readonly restoreBackup: typeof restoreBackup;
  readonly startSandboxRegistry: typeof startSandboxRegistry;
  readonly checkProviders: typeof checkProviders;
}

/** What commands work with, handed to each when it is registered. */
export interface CommandContext {
  readonly io: Io;
  /** Loaded only by the commands that bring something up, since it loads the whole system. */
  readonly loadSystem: () => Promise<System>;
}
