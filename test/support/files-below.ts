import { readdirSync } from "node:fs";
import { join } from "node:path";

/** The paths of all files below a directory, however deep. @throws Error ENOENT where one of its directories goes meanwhile */
export function filesBelow(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}
