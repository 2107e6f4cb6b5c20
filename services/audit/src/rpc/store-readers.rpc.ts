import type { ServiceImpl } from "@connectrpc/connect";
import {
  ownCategories,
  parsed,
  storeReaderAggregate,
  storeReaderCategoryLimit,
  unparsable,
  type Parsed,
} from "@hostledger/core";
import { Credentials } from "@hostledger/store";
import type { admin } from "@hostledger/protocol";
import { rejectionError, requestContextOf, validated } from "@hostledger/rpc";
import { defined, hashOfSecret } from "@hostledger/runtime";

import type { AuditDependencies } from "../dependencies.ts";

type StoreReaderHandlers = Pick<
  ServiceImpl<typeof admin.AuditorAdminService>,
  "addStoreReader" | "revokeStoreReader" | "listStoreReaders"
>;

/** 256 bits, so that a digest of the password needs no salt and nobody can guess it. */
const passwordRandomBytes = 32;

/** A name that fits a connection string unchanged and cannot be a credential's id. */
const nameForm = /^[a-z][a-z0-9-]{0,62}$/u;

/** Staff's handlers for users that read the store over EventStoreDB's protocol. */
export function storeReadersRpc({ clock, commands, ids }: AuditDependencies): StoreReaderHandlers {
  const aggregate = storeReaderAggregate;
  const users = new Credentials({ clock, commands, ids, aggregate, refuse: rejectionError });
  return {
    async addStoreReader(request, context) {
      const { name, categories } = validated({
        name: parseReaderName(request.name),
        categories: parseCategories(request.categories),
      });
      const password = ids.secret(passwordRandomBytes);
      const credentialHash = hashOfSecret(`${name}:${password}`);
      await users.issue({ name, categories, credentialHash, expiresAt: null }, requestContextOf(context));
      return { name, categories: [...categories], password };
    },

    async revokeStoreReader(request, context) {
      const { name } = validated({ name: parseReaderName(request.name) });
      const { repeated } = await users.revoke(name, requestContextOf(context));
      return { name, repeated };
    },

    async listStoreReaders() {
      const readers = await users.list();
      return {
        readers: readers.map(({ name, categories, issuedAt: addedAt, revokedAt }) => ({
          name,
          categories: [...categories],
          addedAt,
          ...defined({ revokedAt: revokedAt ?? undefined }),
        })),
      };
    },
  };
}

function parseReaderName(name: string): Parsed<string> {
  return nameForm.test(name)
    ? parsed(name)
    : unparsable("must be 1 to 63 lower-case letters, digits and dashes, beginning with a letter");
}

/** Reads existing categories without repeats; refuses others, because a mistyped category would silently show nothing. */
function parseCategories(categories: readonly string[]): Parsed<readonly string[]> {
  const asked = [...new Set(categories)].sort();
  if (asked.length === 0 || asked.length > storeReaderCategoryLimit)
    return unparsable(`must be 1 to ${String(storeReaderCategoryLimit)} categories, or all`);
  if (asked.length > 1 && asked.includes("all")) return unparsable("must be all, or categories without all");
  const unknown = asked.find((each) => each !== "all" && !ownCategories.includes(each));
  return unknown === undefined
    ? parsed(asked)
    : unparsable(`must be all, or some of ${ownCategories.join(", ")}`);
}
