/** Returns the `code` of a Node.js error, such as `ENOENT`; undefined if none. */
export function errorCodeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

const fileReasons: Readonly<Record<string, string>> = {
  EACCES: "this user may not use it",
  EDQUOT: "the disk is full",
  EEXIST: "something of this name is there",
  EISDIR: "it is a directory",
  ENAMETOOLONG: "the name is too long",
  ENOENT: "there is no such file or directory",
  ENOSPC: "the disk is full",
  ENOTDIR: "it is no directory",
  EPERM: "this user may not use it",
  EROFS: "the disk is read-only",
};

/** Explains in plain words why a file could not be used, for the end of a sentence. */
export function fileReason(error: unknown): string {
  const known = fileReasons[errorCodeOf(error) ?? ""];
  return known ?? (error instanceof Error ? error.message : String(error));
}

/** Returns the path in a file system error; undefined if none. */
export function failedPath(error: unknown): string | undefined {
  return error instanceof Error && "path" in error && typeof error.path === "string" ? error.path : undefined;
}
