import { randomUUID } from "node:crypto";

import { status } from "@grpc/grpc-js";

import { Refusal, type RefusalKind } from "../codec/refusal.ts";
import { compileFilter } from "./event-filter.ts";
import { GroupJournal } from "./group-journal.codec.ts";
import type { NodeParts } from "./node-parts.ts";
import { PersistentGroup } from "./persistent-group.ts";
import {
  allSource,
  readGroup,
  writeGroup,
  type GroupRequest,
  type StoredGroup,
} from "./persistent-settings.codec.ts";

/** Groups of one node. */
const groupLimit = 256;
const configStream = "$persistentSubscriptionConfig";
const putType = "$GroupStored";
const deletedType = "$GroupDeleted";

/** A group with its stored state. */
export interface KnownGroup {
  readonly group: PersistentGroup;
  readonly journal: GroupJournal;
}

/** All groups of the node. Their settings are events of a system stream and survive a restart. */
export class PersistentGroups {
  readonly #parts: NodeParts;
  readonly #groups = new Map<string, KnownGroup>();
  #loading: Promise<void> | undefined;
  /** Changes run one at a time, so that two groups of the same name cannot both be created. */
  #changes: Promise<unknown> = Promise.resolve();

  constructor(parts: NodeParts) {
    this.#parts = parts;
    parts.closing.addEventListener("abort", () => {
      for (const { group } of this.#groups.values()) group.rest();
    });
  }

  async list(source?: string): Promise<readonly KnownGroup[]> {
    await this.#loaded();
    return [...this.#groups.values()].filter(
      ({ group }) => source === undefined || group.stored.source === source,
    );
  }

  /** @throws Refusal if the group does not exist. */
  async find(source: string, name: string): Promise<KnownGroup> {
    await this.#loaded();
    const known = this.#groups.get(keyOf(source, name));
    if (known !== undefined) return known;
    throw groupError(
      status.NOT_FOUND,
      "persistent-subscription-does-not-exist",
      source,
      name,
      "does not exist",
    );
  }

  create(request: GroupRequest): Promise<void> {
    return this.#change(async () => {
      const { source, group } = request;
      if (this.#groups.has(keyOf(source, group))) {
        throw groupError(
          status.ALREADY_EXISTS,
          "persistent-subscription-exists",
          source,
          group,
          "already exists",
        );
      }
      if (this.#groups.size >= groupLimit) {
        throw new Refusal(status.RESOURCE_EXHAUSTED, `a node has at most ${String(groupLimit)} groups`);
      }
      compileFilter(request.filter);
      const stored = { ...request, after: await this.#beginning(request) };
      await this.#write(putType, writeGroup(stored));
      await this.#open(stored);
    });
  }

  /** The checkpoint stays. Consumers are disconnected and come back with the new settings. */
  update(request: GroupRequest): Promise<void> {
    return this.#change(async () => {
      const { group } = await this.find(request.source, request.group);
      const { filter, after } = group.stored;
      const stored = { ...request, filter, after };
      await this.#write(putType, writeGroup(stored));
      group.dropAll();
      await this.#open(stored, group.checkpoint);
    });
  }

  delete(source: string, name: string): Promise<void> {
    return this.#change(async () => {
      const { group, journal } = await this.find(source, name);
      await this.#write(deletedType, JSON.stringify({ source, group: name }));
      this.#groups.delete(keyOf(source, name));
      group.dropAll();
      await journal.end();
    });
  }

  #change(work: () => Promise<void>): Promise<void> {
    const done = this.#changes.then(async () => {
      await this.#loaded();
      await work();
    });
    this.#changes = done.catch(() => undefined);
    return done;
  }

  #loaded(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #load(): Promise<void> {
    const found = new Map<string, StoredGroup>();
    for await (const { type, data } of this.#parts.store.read(configStream)) {
      const stored = readGroup(data);
      if (type === putType) found.set(keyOf(stored.source, stored.group), stored);
      else found.delete(keyOf(stored.source, stored.group));
    }
    for (const stored of found.values()) await this.#open(stored);
  }

  async #open(stored: StoredGroup, known?: bigint): Promise<void> {
    const { store, events, reading, links, onBug } = this.#parts;
    const journal = new GroupJournal(store, events, reading, stored.source, stored.group);
    const checkpoint = known ?? (await journal.lastCheckpoint()) ?? stored.after;
    const group = new PersistentGroup(stored, checkpoint, { store, events, reading, links }, journal, onBug);
    this.#groups.set(keyOf(stored.source, stored.group), { group, journal });
  }

  /** "End" is resolved at creation, so that events before the first consumer belong to the group. */
  async #beginning({ source, from }: GroupRequest): Promise<bigint> {
    const { store, events } = this.#parts;
    const none = source === allSource ? 0n : -1n;
    if (from === "start") return none;
    if (from !== "end") return from - 1n;
    if (source === allSource) return (await store.lastPosition()) ?? none;
    return (await events.last(source))?.revision ?? none;
  }

  async #write(type: string, data: string): Promise<void> {
    await this.#parts.store.append(configStream, "any", [{ id: randomUUID(), type, data, metadata: "" }]);
  }
}

function keyOf(source: string, group: string): string {
  return `${source}::${group}`;
}

/** An error that names the group, as the client's error classes expect. */
export function groupError(
  code: status,
  kind: RefusalKind,
  source: string,
  group: string,
  sentence: string,
): Refusal {
  return new Refusal(code, `Subscription group ${group} on stream ${source} ${sentence}.`, kind, {
    "stream-name": source,
    "group-name": group,
  });
}
