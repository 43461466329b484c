import LineProtocol

extension Fault {
  private static let remedy =
    "sudo install -d -o {user} -g GROUP -m 2750 {folder}, with the group of its readers as GROUP"

  static let fileFolder = Fault(
    "file-folder", .error, "the file {path}: its folder does not exist", remedy: remedy)
  static let fileFolderFile = Fault(
    "file-folder", .error, "the file {path}: {place} is a file and not a folder",
    remedy: "move that file away, or configure another 'path'")
  static let fileFolderDenied = Fault(
    "file-folder", .error, "the file {path}: user {user} cannot write to its folder", remedy: remedy)
  static let fileTwice = Fault(
    "file-twice", .error, "the file {path} is the same as {place} in another table, through a symbolic link",
    remedy: "configure another 'path'")
}

extension FileFeature: CheckedFeature {
  /// The folders of the configured files. The daemon replaces a file as a whole, so the check reads the permissions of
  /// the folder. The path without the final slash also leads to a file in place of the folder.
  var objects: [MachineObject] {
    outputs.map { Machine.folder(of: $0.path) }.flatMap { [.file($0), .file(String($0.dropLast()))] }
  }
  var isCheckedWithSimulatedBoard: Bool { true }

  func findings(about subject: Subject, on machine: Machine) -> [Finding] {
    var names: [String: String] = [:]
    return outputs.flatMap { output in
      let folder = Machine.folder(of: output.path)
      let place = String(folder.dropLast())
      let values = ["path": output.path, "folder": folder, "place": place, "user": machine.user.name]
      let fault: Fault? =
        switch machine.files[folder] {
        case nil: machine.files[place] == nil ? .fileFolder : .fileFolderFile
        case let found?:
          found.isWritable(by: machine.user, in: machine.accounts)
            && found.isSearchable(by: machine.user, in: machine.accounts) ? nil : .fileFolderDenied
        }
      let name = "\(machine.files[folder]?.path ?? place)/\(output.path.dropFirst(folder.count))"
      let former = names.updateValue(output.path, forKey: name)
      return [
        fault.map { Finding($0, at: output.location, values) },
        former.map { Finding(.fileTwice, at: output.location, values.merging(["place": $0]) { $1 }) },
        subject.eachPressFinding(to: "the file \(output.path)", of: output.app.name, at: output.location),
      ].compactMap(\.self)
    }
  }
}
