const KiB = 1024;
const MiB = 1024 * KiB;

/** SPEC "Limits": uploads are kept in memory up to this many bytes a request, then in a temporary file. */
export const uploadMemoryBytes: number = 32 * MiB;

/** Bytes that the uploads of all requests together may hold in memory; beyond, they go to temporary files at once. */
export const uploadMemoryBytesTotal: number = 128 * MiB;

/** Bytes of a whole multipart body; larger uploads belong on signed URLs. */
export const multipartBytes: number = 1024 * MiB;

/** Parts of one multipart body. */
export const multipartParts = 1000;

/** Bytes of one part's header lines. */
export const multipartHeaderBytes: number = 16 * KiB;

/** Bytes of a form field's name. */
export const formNameBytes = 200;

/** Bytes of one text field of a form. */
export const formValueBytes: number = 1 * MiB;

/** Bytes of all text fields of a form together. */
export const formValuesBytes: number = 8 * MiB;

/** SPEC "Static site assets": seconds a fingerprinted file may be cached. */
export const fingerprintedMaxAge = 31_536_000;
