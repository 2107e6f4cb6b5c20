/** What an instance opens to PostgreSQL at most: for each service one that writes and three that read, two for keys, leases, counts. */
export const connectionsOfAnInstance = 24;
