import Base
import OperatingSystem

/// Finds boards (declarations of hardware) in a list of folders.
package struct BoardSearch: Hashable, Sendable {
  /// The folders to search, in this order. Each folder contains the folders of one or more boards.
  package let folders: [String]
  /// The names of the tables of features that `board.toml` may contain, for example `display`.
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

  /// Reads the board from the first folder that contains a board of this name.
  package func board(_ choice: BoardChoice) throws(ConfigurationError) -> Board {
    let name = choice.name
    guard BoardSearch.isName(name) else {
      throw ConfigurationError(
        file: choice.location.file, line: choice.location.line,
        "invalid board name \(DiagnosticText.quoted(name)) (1...64 lower-case letters, digits and '-')")
    }
    for folder in folders {
      let file = "\(folder)/\(name)/board.toml"
      if let bytes = try ConfigurationFile.read(file) {
        return try Board(parsing: bytes, file: file, name: name, tables: tables)
      }
    }
    let names = names
    let known = names.isEmpty ? "no boards found" : "known boards: \(names.joined(separator: ", "))"
    let nearest = Spelling.nearest(to: name, among: names).map { "; did you mean \(DiagnosticText.quoted($0))?" } ?? ""
    let searched = folders.filter(ConfigurationFile.exists)
    let searchedText =
      searched.isEmpty ? "no folder of boards (--boards sets one)" : searched.joined(separator: ", ")
    throw ConfigurationError(
      file: choice.location.file, line: choice.location.line,
      "unknown board \(DiagnosticText.quoted(name)) (\(known)\(nearest); searched: \(searchedText))")
  }

  package func board(_ name: String) throws(ConfigurationError) -> Board { try board(BoardChoice(name: name)) }

  /// The names of all boards, sorted.
  package var names: [String] {
    var found: Set<String> = []
    for folder in folders {
      for name in Folder.names(in: folder)
      where BoardSearch.isName(name) && ConfigurationFile.exists("\(folder)/\(name)/board.toml") {
        found.insert(name)
      }
    }
    return found.sorted()
  }

  /// Whether a text is a valid name of a board. A valid name contains no `/` and no `.`, so that its path cannot leave
  /// the folder of the boards.
  private static func isName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || $0 == UInt8(ascii: "-")
      }
  }
}
