import Foundation

// mutations FILE…: prints every mutation of the files, as a JSON array.
var mutations: [Mutation] = []
for file in CommandLine.arguments.dropFirst() {
  mutations += Finder(file: file, source: try String(contentsOfFile: file, encoding: .utf8)).mutations
}
let encoder = JSONEncoder()
encoder.outputFormatting = [.sortedKeys]
FileHandle.standardOutput.write(try encoder.encode(mutations))
