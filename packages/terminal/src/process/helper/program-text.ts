// The spawn helper as one text, for programs that are bundled into a file and have no helper beside them.

/** Written when the library is packed; from source and in the `holdfast` program the helper is a file. */
export const programText: string | undefined = undefined;
