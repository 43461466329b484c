import Base
import OperatingSystem

/// A search for boards (declarations of hardware) in a list of folders.
package struct BoardSearch: Hashable, Sendable {
  /// The folders to search, in this order. Each folder contains the folders of one or more boards.
  package let folders: [String]
  /// The names of tables with settings of optional interfaces that `board.toml` may contain, for example `display`.
  package var tables: [String] = []

  package init(folders: [String]) {
    self.folders = folders
  }

  /// Creates a search in the default folders: `explicit`, `./Boards`, a folder `Boards` next to the executable or in
  /// any folder above it, and the installation folder.
  /// - Parameters:
  ///   - explicit: The folder from the command line; nil for none.
  ///   - executable: The absolute path of this program; nil if unknown.
  package init(explicit: String?, executable: String?) {
    var folders = [explicit, "./Boards"].compactMap(\.self)
    if let executable, executable.first == "/" {
      var rest = executable[...]
      while let slash = rest.lastIndex(of: "/") {
        rest = rest[..<slash]
        folders.append("\(rest)/Boards")
      }
    }
    folders.append("/usr/share/onefix/boards")
    self.init(folders: folders)
  }

  /// Reads the file `board.toml` of the board with this name, from the first folder that contains the board.
  package func board(_ choice: BoardChoice) throws(ConfigurationError) -> Board {
    let name = choice.name
    func fault(_ message: String) -> ConfigurationError {
      ConfigurationError(file: choice.location.file, line: choice.location.line, message)
    }
    guard name.isName(upTo: 64) else {
      throw fault("invalid board name \(quoted(name)) (1...64 lower-case letters, digits and '-')")
    }
    for folder in folders {
      let file = "\(folder)/\(name)/board.toml"
      if let bytes = try ConfigurationFile.read(file) {
        return try Board(parsing: bytes, file: file, name: name, tables: tables)
      }
    }
    let names = names
    let known = names.isEmpty ? "no boards found" : "known boards: \(names.joined(separator: ", "))"
    let nearest = Spelling.nearest(to: name, among: names).map { "; did you mean \(quoted($0))?" } ?? ""
    let searched = folders.filter(ConfigurationFile.exists)
    let places =
      searched.isEmpty
      ? "none of these folders exists: \(folders.joined(separator: ", ")); --boards names another"
      : "searched: \(searched.joined(separator: ", "))"
    throw fault("unknown board \(quoted(name)) (\(known)\(nearest); \(places))")
  }

  /// The names of all boards in the folders, in alphabetical order.
  package var names: [String] {
    let found = folders.flatMap { folder in
      Folder.names(in: folder).filter {
        $0.isName(upTo: 64) && ConfigurationFile.exists("\(folder)/\($0)/board.toml")
      }
    }
    return Set(found).sorted()
  }
}
