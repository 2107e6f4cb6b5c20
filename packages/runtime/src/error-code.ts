/** The `code` of a Node.js error, for example `ENOENT`; undefined for anything without one. */
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

/** Why a file or directory could not be used, in plain words, as the end of a sentence. */
export function fileReason(error: unknown): string {
  const known = fileReasons[errorCodeOf(error) ?? ""];
  return known ?? (error instanceof Error ? error.message : String(error));
}

/** The file or directory that a failed call of the file system names. */
export function failedPath(error: unknown): string | undefined {
  return error instanceof Error && "path" in error && typeof error.path === "string" ? error.path : undefined;
}
