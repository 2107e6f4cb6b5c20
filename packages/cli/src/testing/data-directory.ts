import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { beforeEach } from "vitest";

export interface SpecDirectory {
  readonly path: string;
  readonly read: (name: string) => string;
  readonly write: (name: string, text: string) => void;
}

/** Creates an empty directory for each spec and removes it afterwards. */
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

/** File that marks a directory as Hostledger's. */
export const marker = ["hostledger.json", '{"program":"hostledger","format":1}'] as const;
