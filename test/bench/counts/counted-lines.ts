import { z } from "zod";

/** Lines that the counted process prints, one per piece of work. */
const countedSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("timer") }),
  z.object({ kind: z.literal("signal") }),
  z.object({ kind: z.literal("sql"), database: z.string(), sql: z.string() }),
  z.object({ kind: z.literal("append"), stream: z.string(), events: z.int(), bytes: z.int() }),
  z.object({ kind: z.literal("read"), stream: z.string() }),
]);

export type Counted = z.infer<typeof countedSchema>;

export function lineOf(counted: Counted): string {
  return `${JSON.stringify(counted)}\n`;
}

/** Reads whole lines back. */
export function countedIn(text: string): readonly Counted[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => countedSchema.parse(JSON.parse(line)));
}
