import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { fileReason } from "../error-code.ts";
import { CommandFailure, refused } from "../exit-code.ts";

/** Its manifest makes a directory a bundle. */
const manifest = "manifest.json";

/**
 * Fills a directory that is empty, or not there yet, with what `write` puts into one. What is unfinished is in a directory
 * inside it that says so; it is moved up when it is whole, the manifest last. So whatever ends this early, a power cut
 * too, leaves nothing that reads as a bundle; an error leaves the directory as it was.
 * @throws CommandFailure (1) when the directory is not empty, or cannot be written.
 */
export async function fillBundleDirectory<Result>(
  directory: string,
  write: (unfinished: string) => Promise<Result>,
): Promise<Result> {
  const made = await guarded(directory, () => mkdir(directory, { recursive: true }));
  const unfinished = join(directory, `.unfinished-${randomUUID()}`);
  let moved: readonly string[] = [];
  try {
    if ((await guarded(directory, () => readdir(directory))).length > 0)
      throw refused(`${directory} is not empty: name an empty directory, or one that is not there yet.`);
    await guarded(directory, () => mkdir(unfinished));
    const result = await write(unfinished);
    const names = (await readdir(unfinished)).filter((name) => name !== manifest);
    moved = [...names, manifest];
    for (const name of moved)
      await guarded(directory, () => rename(join(unfinished, name), join(directory, name)));
    await guarded(directory, () => rmdir(unfinished));
    return result;
  } catch (error) {
    for (const path of [...moved.map((name) => join(directory, name)), unfinished])
      await rm(path, { recursive: true, force: true });
    // A directory that was there stays; `rmdir` takes nobody else's files with it.
    if (made !== undefined) await rmdir(directory).catch(() => undefined);
    throw error;
  }
}

async function guarded<Result>(directory: string, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw refused(`${directory} could not be written: ${fileReason(error)}.`, error);
  }
}
