import type { Writable } from "node:stream";

/**
 * Lets `hostledger … | head -1` end quietly: a reader that has seen enough closes the pipe, which is no failure of
 * the command. Any other error of the stream is a bug and stays one.
 */
export function tolerateClosedPipe(stream: Writable): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

/**
 * Ends the process once its answer has left. A plain `process.exitCode` would wait for every handle still open, such
 * as an idle connection; a plain `process.exit` could cut the answer off.
 */
export async function endProcess(exitCode: number): Promise<never> {
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise<void>((resolve) => {
      if (stream.destroyed) resolve();
      else
        stream.write("", () => {
          resolve();
        });
    });
  }
  process.exit(exitCode);
}
