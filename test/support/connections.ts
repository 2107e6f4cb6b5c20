/**
 * Maximum connections of an instance to PostgreSQL: per service one that writes and three that read, two for keys,
 * leases and counts.
 */
export const connectionsOfAnInstance = 24;
