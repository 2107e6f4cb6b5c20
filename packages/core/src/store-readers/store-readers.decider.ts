import { Map as PersistentMap } from "immutable";

import { assertNever } from "../kernel/assert-never.ts";
import { listCredential, unlistCredential, type ListedCredential } from "../kernel/credential-list.ts";
import { CorruptStreamError, type Command, type Decider, type Decision } from "../kernel/decider.ts";
import type { StoreReaderEvent } from "./store-readers.events.ts";

/** Lets a user read the store. A revoked user may be added again with another password. */
export type AddStoreReader = Command<
  "AddStoreReader",
  { readonly name: string; readonly categories: readonly string[]; readonly credentialHash: string }
>;

export type RevokeStoreReader = Command<"RevokeStoreReader", { readonly name: string }>;

export type StoreReaderCommand = AddStoreReader | RevokeStoreReader;

export interface StoreReader extends ListedCredential {
  readonly categories: readonly string[];
  readonly addedAt: string;
}

export interface StoreReadersState {
  readonly readers: PersistentMap<string, StoreReader>;
}

/** Maximum names, because checking a password folds the whole stream. */
export const storeReaderLimit = 200;

const rules = { noun: "reader", limit: storeReaderLimit };

/** Rules of readers of the store over EventStoreDB's protocol (stream `storereader-all`). */
export const storeReaders: Decider<StoreReaderCommand, StoreReadersState, StoreReaderEvent> = {
  initialState: { readers: PersistentMap() },
  decide,
  evolve,
};

function decide(command: StoreReaderCommand, { readers }: StoreReadersState): Decision<StoreReaderEvent> {
  switch (command.type) {
    case "AddStoreReader": {
      const { at, name, categories, credentialHash } = command.data;
      return listCredential(readers, command.data, rules, () => ({
        type: "StoreReaderAdded",
        data: { name, categories: [...categories], credentialHash, addedAt: at },
      }));
    }
    case "RevokeStoreReader": {
      const { at, name } = command.data;
      return unlistCredential(readers, name, rules, () => ({
        type: "StoreReaderRevoked",
        data: { name, revokedAt: at },
      }));
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
