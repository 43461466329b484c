/// A way in or out of the gateway that the checks examine. The checks know no other property of it.
package protocol CheckedFeature: Sendable {
  /// The paths of the files and folders that the findings depend on.
  var files: [String] { get }

  /// Returns the findings that do not depend on the machine.
  func configurationFindings(about subject: Subject) -> [Finding]

  func findings(about subject: Subject, on machine: Machine) -> [Finding]
}
