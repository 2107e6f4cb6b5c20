import { BundleError } from "../log-source.ts";

/** Serialises the read model's balances by account id: `[{"accountId":7,"balanceCents":"1190"}]`. */
export function writeBalances(balances: ReadonlyMap<number, bigint>): string {
  const rows = [...balances].toSorted(([left], [right]) => left - right);
  const lines = rows.map(([accountId, cents]) => JSON.stringify({ accountId, balanceCents: String(cents) }));
  return `[${lines.join(",\n")}]\n`;
}

/** Parses balances. @throws BundleError */
export function readBalances(text: string): ReadonlyMap<number, bigint> {
  const damaged = new BundleError("The bundle's balances.json is damaged.");
  let rows: unknown;
  try {
    rows = JSON.parse(text);
  } catch {
    throw damaged;
  }
  if (!Array.isArray(rows)) throw damaged;
  return new Map(
    rows.map((row: unknown) => {
      const fields = new Map<string, unknown>(
        typeof row === "object" && row !== null ? Object.entries(row) : [],
      );
      const [accountId, cents] = [fields.get("accountId"), fields.get("balanceCents")];
      if (typeof accountId !== "number" || typeof cents !== "string" || !/^-?\d{1,18}$/u.test(cents))
        throw damaged;
      return [accountId, BigInt(cents)];
    }),
  );
}
