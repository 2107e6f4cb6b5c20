import { readFileSync } from "node:fs";

import type { z } from "zod";

/**
 * Content of an operator's file, or a sentence for each mistake, without the name of the setting that names the
 * file.
 */
export type FileContent<Content> = { readonly content: Content } | { readonly mistakes: readonly string[] };

/** Reads a JSON file that an operator wrote. */
export function readJsonFile<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
): FileContent<z.output<Schema>> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return { mistakes: [`${file} cannot be read.`] };
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { mistakes: ["is no JSON."] };
  }
  const { success, data, error } = schema.safeParse(json);
  if (success) return { content: data };
  return { mistakes: error.issues.map(({ path, message }) => `${path.join(".") || "file"}: ${message}.`) };
}
