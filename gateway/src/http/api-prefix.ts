/** Where the API lives; the version is part of it (specification §9). */
export const apiPrefix = "/api/v1";
