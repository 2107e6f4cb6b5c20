/** A process that claims a data directory, for `data-directory.e2e.spec.ts`; stays until killed, or exits with 1. */
import { claimDataDirectory, DataDirectoryError } from "./data-directory.ts";

const [path = ""] = process.argv.slice(2);
try {
  const directory = claimDataDirectory(path);
  process.stdout.write("claimed\n");
  process.stdin.resume().on("end", () => {
    directory.release();
  });
} catch (error) {
  if (!(error instanceof DataDirectoryError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
