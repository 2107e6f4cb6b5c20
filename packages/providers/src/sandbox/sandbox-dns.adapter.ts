import type { DatabaseSync } from "node:sqlite";

import type { Dns, Zone, ZoneHolding, ZoneRecord, ZoneRecordSet } from "../dns/dns.port.ts";
import { done, type Outcome, refused } from "../outcome.ts";
import { behaviourOf } from "./labels.ts";
import type { SandboxParts } from "./sandbox-parts.ts";
import { integer, type Row, text } from "./sandbox-database.ts";
import { decodeRecords, encodeRecords } from "./sandbox-contents.codec.ts";

/** The simulated DNS server. `labels.ts` determines its answers; its zones are in the sandbox's file. */
export class SandboxDns implements Dns {
  readonly #line: SandboxParts["line"];
  readonly #statements: ReturnType<typeof prepare>;

  constructor({ database, line }: Pick<SandboxParts, "database" | "line">) {
    this.#line = line;
    this.#statements = prepare(database);
  }

  createZone({ name, records }: Zone): Promise<Outcome<void>> {
    const { zoneRefusals, callMs } = behaviourOf(name);
    return this.#line.call(callMs, () => {
      const wanted = encodeRecords(records);
      const row = this.#statements.find.get(name);
      if (row !== undefined) {
        if (text(row, "records") === wanted) return done(undefined);
        return refused("rejected", `The DNS server has a zone ${name} with other records.`);
      }
      if (zoneRefusals > this.#refusalsSoFar(name)) {
        this.#statements.countRefusal.run(name);
        return refused("rejected", `The DNS server refuses the zone ${name}.`);
      }
      this.#statements.insert.run(name, wanted);
      return done(undefined);
    });
  }

  replaceRecordSets(name: string, sets: readonly ZoneRecordSet[]): Promise<Outcome<void>> {
    return this.#line.call(behaviourOf(name).callMs, () => {
      const row = this.#statements.find.get(name);
      if (row === undefined) return refused("rejected", `The DNS server has no zone ${name}.`);
      const replaced = new Set(sets.map(keyOf));
      const kept = decodeRecords(text(row, "records")).filter((record) => !replaced.has(keyOf(record)));
      this.#statements.update.run(encodeRecords([...kept, ...sets.flatMap(recordsOf)]), name);
      return done(undefined);
    });
  }

  inquireZone(name: string): Promise<Outcome<ZoneHolding>> {
    return this.#line.call(behaviourOf(name).callMs, () => {
      const row = this.#statements.find.get(name);
      return done(row === undefined ? { held: false } : { held: true, zone: zoneOf(row) });
    });
  }

  deleteZone(name: string): Promise<Outcome<void>> {
    return this.#line.call(behaviourOf(name).callMs, () => {
      this.#statements.remove.run(name);
      return done(undefined);
    });
  }

  list(): Promise<Outcome<readonly string[]>> {
    return this.#line.call(0, () => done(this.show().map(({ name }) => name)));
  }

  /** Returns every zone by name. */
  show(): Zone[] {
    return this.#statements.all.all().map(zoneOf);
  }

  #refusalsSoFar(zone: string): number {
    const row = this.#statements.findRefusals.get(zone);
    return row === undefined ? 0 : integer(row, "count");
  }
}

function prepare(database: DatabaseSync) {
  return {
    find: database.prepare("SELECT * FROM zone WHERE name = ?"),
    all: database.prepare("SELECT * FROM zone ORDER BY name"),
    insert: database.prepare("INSERT INTO zone VALUES (?, ?)"),
    update: database.prepare("UPDATE zone SET records = ? WHERE name = ?"),
    remove: database.prepare("DELETE FROM zone WHERE name = ?"),
    findRefusals: database.prepare("SELECT count FROM zone_refusal WHERE zone = ?"),
    countRefusal: database.prepare(
      "INSERT INTO zone_refusal VALUES (?, 1) ON CONFLICT (zone) DO UPDATE SET count = count + 1",
    ),
  };
}

function zoneOf(row: Row): Zone {
  return { name: text(row, "name"), records: decodeRecords(text(row, "records")) };
}

function keyOf({ type, name }: { readonly type: string; readonly name: string }): string {
  return `${type} ${name}`;
}

function recordsOf({ type, name, ttlSeconds, records }: ZoneRecordSet): readonly ZoneRecord[] {
  return records.map((record) => ({ type, name, ttlSeconds, ...record }));
}
