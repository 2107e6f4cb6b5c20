import { Map as PersistentMap } from "immutable";

import { assertNever } from "../kernel/assert-never.ts";
import {
  accept,
  CorruptStreamError,
  reject,
  type Command,
  type Decider,
  type Decision,
} from "../kernel/decider.ts";
import type { StoreReaderEvent } from "./store-readers.events.ts";

/** Lets a user read. A user who was revoked may be added again, with another password. */
export type AddStoreReader = Command<
  "AddStoreReader",
  { readonly name: string; readonly categories: readonly string[]; readonly credentialHash: string }
>;

/** Lets a user read no more. */
export type RevokeStoreReader = Command<"RevokeStoreReader", { readonly name: string }>;

/** What can be asked of the list of readers. */
export type StoreReaderCommand = AddStoreReader | RevokeStoreReader;

/** One who may read, or could. */
export interface StoreReader {
  readonly name: string;
  readonly categories: readonly string[];
  readonly credentialHash: string;
  readonly addedAt: string;
  readonly revokedAt?: string;
}

/** All who ever might, by their names. */
export interface StoreReadersState {
  readonly readers: PersistentMap<string, StoreReader>;
}

/** Names that there may ever be: the list is one stream, and is folded at each look at a password. */
export const storeReaderLimit = 200;

/** The rules of who may read the store over EventStoreDB's protocol (stream `storereader-all`). */
export const storeReaders: Decider<StoreReaderCommand, StoreReadersState, StoreReaderEvent> = {
  initialState: { readers: PersistentMap() },
  decide,
  evolve,
};

function decide(command: StoreReaderCommand, { readers }: StoreReadersState): Decision<StoreReaderEvent> {
  switch (command.type) {
    case "AddStoreReader": {
      const { at, name, categories, credentialHash } = command.data;
      const known = readers.get(name);
      if (known !== undefined && known.revokedAt === undefined) {
        // A repeat of the command that added the reader.
        if (known.credentialHash === credentialHash) return accept();
        return reject("validation-failed", `There is a reader ${name} already: revoke it first.`);
      }
      if (known === undefined && readers.size >= storeReaderLimit)
        return reject(
          "validation-failed",
          `There are ${String(storeReaderLimit)} readers, revoked ones too.`,
        );
      const data = { name, categories: [...categories], credentialHash, addedAt: at };
      return accept({ type: "StoreReaderAdded", data });
    }
    case "RevokeStoreReader": {
      const { at, name } = command.data;
      const known = readers.get(name);
      if (known === undefined) return reject("not-found", `There is no reader ${name}.`);
      if (known.revokedAt !== undefined) return accept();
      return accept({ type: "StoreReaderRevoked", data: { name, revokedAt: at } });
    }
    default:
      return assertNever(command);
  }
}

function evolve({ readers }: StoreReadersState, event: StoreReaderEvent): StoreReadersState {
  const known = readers.get(event.data.name);
  const isActive = known !== undefined && known.revokedAt === undefined;
  switch (event.type) {
    case "StoreReaderAdded":
      if (isActive) throw new CorruptStreamError(event.type, "added");
      return { readers: readers.set(event.data.name, event.data) };
    case "StoreReaderRevoked":
      if (!isActive) throw new CorruptStreamError(event.type, "not there");
      return { readers: readers.set(known.name, { ...known, revokedAt: event.data.revokedAt }) };
    default:
      return assertNever(event);
  }
}
