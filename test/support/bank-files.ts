import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { camtFile, type GivenFile } from "@hostledger/providers/testing";
import { realTiming } from "@hostledger/runtime";
import { temporaryDirectory } from "@hostledger/runtime/testing";

import { commandInProcess, type Answered } from "./command-in-process.ts";
import type { Instance } from "./instance.ts";

/** Files of the bank and for the bank, in a directory of the spec. */
export interface BankFiles {
  /** Returns the path of a file that is not there yet. */
  readonly path: () => string;
  /** Writes a file of the bank. @returns its path */
  readonly write: (file: GivenFile | string | Uint8Array) => string;
  /** Writes a file of the bank and has staff import it. */
  readonly import: (file: GivenFile | string | Uint8Array) => Promise<Answered>;
  /** Removes the directory. */
  readonly remove: () => void;
}

/** @param instance called when a file is imported */
export function bankFiles(instance: () => Instance): BankFiles {
  const directory = temporaryDirectory();
  let count = 0;
  const path = (): string => join(directory.path, `${String((count += 1))}.xml`);
  const write = (file: GivenFile | string | Uint8Array): string => {
    const name = path();
    writeFileSync(name, typeof file === "string" || file instanceof Uint8Array ? file : camtFile(file));
    return name;
  };
  return {
    path,
    write,
    import: (file) => commandInProcess(instance(), realTiming, "bank", "import", write(file)),
    remove: directory.remove,
  };
}
