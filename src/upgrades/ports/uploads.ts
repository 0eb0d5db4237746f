/** The uploaded files that an upgrade may name, such as a licence. */
export interface UploadContents {
  uploadBytes(id: string): Promise<Buffer | undefined>;
}
