import type { startStandalone } from "@hostledger/standalone";
import type { Io } from "./io.ts";

/** What commands work with, handed to each when it is registered. */
export interface CommandContext {
  readonly io: Io;
  /** Brings everything up in this process; loaded only when `start` runs, since it loads the whole system. */
  readonly loadStandalone: () => Promise<typeof startStandalone>;
}
