import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { beforeEach } from "vitest";

/** A directory of a spec's own. */
export interface SpecDirectory {
  readonly path: string;
  readonly read: (name: string) => string;
  readonly write: (name: string, text: string) => void;
}

/** Gives each spec of the file an empty directory, and takes it away afterwards. */
export function useDirectory(): () => SpecDirectory {
  let path = "";
  beforeEach(() => {
    path = directoryOfTest();
  });
  return () => ({
    path,
    read: (name) => readFileSync(join(path, name), "utf8"),
    write: (name, text) => {
      writeFileSync(join(path, name), text);
    },
  });
}

/** What makes a directory one of Hostledger's. */
export const marker = ["hostledger.json", '{"program":"hostledger","format":1}'] as const;
