import SwiftOperators
import SwiftParser
import SwiftSyntax

/// Finds all mutations of a file.
final class Finder: SyntaxVisitor {
  private(set) var mutations: [Mutation] = []
  private let file: String
  private let converter: SourceLocationConverter

  /// Functions that check impossible states, or only reserve memory. No test can notice that a call of them is missing.
  private static let unobservable: Set<String> = [
    "precondition", "preconditionFailure", "assert", "assertionFailure", "reserveCapacity",
  ]
  private static let boundaries = [
    "<": "mutantLess", "<=": "mutantLessOrEqual", ">": "mutantGreater", ">=": "mutantGreaterOrEqual",
  ]

  init(file: String, source: String) {
    let tree = Parser.parse(source: source)
    self.file = file
    converter = SourceLocationConverter(fileName: file, tree: tree)
    super.init(viewMode: .sourceAccurate)
    walk(OperatorTable.standardOperators.foldAll(tree) { _ in })
  }

  private func add(_ kind: Mutation.Kind, at node: some SyntaxProtocol, _ edits: [Mutation.Edit]) {
    let line = converter.location(for: node.positionAfterSkippingLeadingTrivia).line
    mutations.append(Mutation(kind: kind, file: file, line: line, source: Self.oneLine(node), edits: edits))
  }

  private static func oneLine(_ node: some SyntaxProtocol) -> String {
    node.trimmedDescription.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private func negate(_ condition: some SyntaxProtocol) {
    add(.negation, at: condition, Mutation.Edit.wrap(condition, "mutantNot(#, ", ")"))
  }

  // MARK: Places without mutations

  // A pattern, an attribute and a type contain only constants.
  override func visit(_ node: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: GenericArgumentClauseSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: IfConfigClauseSyntax) -> SyntaxVisitorContinueKind {
    if let elements = node.elements { walk(elements) }
    return .skipChildren
  }

  // MARK: Conditions

  override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
    guard case .expression(let condition) = node.condition else { return .visitChildren }
    negate(condition)
    if node.parent?.parent?.is(GuardStmtSyntax.self) == true {
      add(.guardClause, at: condition, Mutation.Edit.wrap(condition, "mutantTrue(#, ", ")"))
    }
    return .visitChildren
  }

  override func visit(_ node: IfExprSyntax) -> SyntaxVisitorContinueKind {
    if node.elseBody == nil, let last = node.body.statements.last?.item, Self.leaves(last) {
      // An `if` that leaves is a guard. A last condition that is never true removes it, also after `if let`.
      var edits = Mutation.Edit.wrap(node.conditions, "", ", !mutant(#)")
      edits.removeFirst()
      add(.guardClause, at: node.conditions, edits)
    }
    return .visitChildren
  }

  private static func leaves(_ item: CodeBlockItemSyntax.Item) -> Bool {
    guard case .stmt(let statement) = item else { return false }
    return statement.is(ReturnStmtSyntax.self) || statement.is(ThrowStmtSyntax.self)
      || statement.is(ContinueStmtSyntax.self) || statement.is(BreakStmtSyntax.self)
  }

  override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
    negate(node.condition)
    return .visitChildren
  }

  override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
    negate(node.condition)
    return .visitChildren
  }

  override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    guard let token = node.operator.as(BinaryOperatorExprSyntax.self)?.operator else { return .visitChildren }
    if let function = Self.boundaries[token.text] {
      let edits = Mutation.Edit.wrap(node, "\(function)(#, ", ")")
      let offset = token.positionAfterSkippingLeadingTrivia.utf8Offset
      let comma = Mutation.Edit(role: .replace, offset: offset, length: token.text.utf8.count, text: ",")
      add(.boundary, at: node, edits + [comma])
    } else if ["==", "!=", "===", "!==", "~="].contains(token.text), !Self.isCondition(node) {
      negate(node)
    }
    return .visitChildren
  }

  /// Whether the expression is a whole condition, which is negated anyway.
  private static func isCondition(_ node: InfixOperatorExprSyntax) -> Bool {
    guard let parent = node.parent else { return false }
    return parent.is(ConditionElementSyntax.self) || parent.is(WhereClauseSyntax.self)
      || parent.as(TernaryExprSyntax.self)?.condition.id == node.id
  }

  // MARK: Constants

  override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    let digits = node.literal.text.filter { $0 != "_" }
    let radix = digits.hasPrefix("0x") ? 16 : digits.hasPrefix("0b") ? 2 : digits.hasPrefix("0o") ? 8 : 10
    guard let value = UInt64(radix == 10 ? digits : String(digits.dropFirst(2)), radix: radix) else {
      return .visitChildren
    }
    if value < .max { change(node, to: String(value + 1)) }
    if value > 0 { change(node, to: String(value - 1)) }
    return .visitChildren
  }

  override func visit(_ node: FloatLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    guard let value = Double(node.literal.text.filter { $0 != "_" }) else { return .visitChildren }
    change(node, to: "\(value + 1)")
    change(node, to: "\(value - 1)")
    return .visitChildren
  }

  private func change(_ literal: some SyntaxProtocol, to text: String) {
    add(.constant, at: literal, Mutation.Edit.wrap(literal, "(mutant(#) ? \(text) : ", ")"))
    // The statement around the constant tells the reader which constant it is.
    var around = Syntax(literal)
    while let parent = around.parent, parent.trimmedLength.utf8Length < 70 { around = parent }
    mutations[mutations.count - 1].source += " → \(text) in \(Self.oneLine(around))"
  }

  // MARK: Calls

  override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
    guard case .expr(let expression) = node.item, !Self.isResult(node) else { return .visitChildren }
    // `_ = call()` is a call, too.
    var call = expression
    if let assignment = call.as(InfixOperatorExprSyntax.self), assignment.operator.is(AssignmentExprSyntax.self),
      assignment.leftOperand.is(DiscardAssignmentExprSyntax.self)
    {
      call = assignment.rightOperand
    }
    while let inner = call.as(TryExprSyntax.self)?.expression ?? call.as(AwaitExprSyntax.self)?.expression
      ?? call.as(UnsafeExprSyntax.self)?.expression
    {
      call = inner
    }
    if let call = call.as(FunctionCallExprSyntax.self), !Self.unobservable.contains(Self.name(call)) {
      add(.call, at: expression, Mutation.Edit.wrap(expression, "if !mutant(#) { ", " }"))
    }
    return .visitChildren
  }

  /// Whether the item may be the result of a closure, a function, a property or a branch, because it is the only item.
  private static func isResult(_ node: CodeBlockItemSyntax) -> Bool {
    guard let list = node.parent?.as(CodeBlockItemListSyntax.self), list.count == 1, let owner = list.parent else {
      return false
    }
    if let function = owner.parent?.as(FunctionDeclSyntax.self) { return function.signature.returnClause != nil }
    if let accessor = owner.parent?.as(AccessorDeclSyntax.self) { return accessor.accessorSpecifier.text == "get" }
    return owner.is(ClosureExprSyntax.self) || owner.is(AccessorBlockSyntax.self)
  }

  private static func name(_ call: FunctionCallExprSyntax) -> String {
    call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text
      ?? call.calledExpression.trimmedDescription
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    if Self.unobservable.contains(Self.name(node)) { return .skipChildren }
    // The order of these arguments has no effect.
    if ["max", "min"].contains(Self.name(node)) { return .visitChildren }
    for (a, b) in zip(node.arguments, node.arguments.dropFirst()) {
      let (first, second) = (a.expression, b.expression)
      let (firstText, secondText) = (first.trimmedDescription, second.trimmedDescription)
      guard Self.isPath(first), Self.isPath(second), firstText != secondText else { continue }
      add(
        .swap, at: node,
        Mutation.Edit.wrap(first, "(mutant(#) ? \(secondText) : ", ")")
          + Mutation.Edit.wrap(second, "(mutant(#) ? \(firstText) : ", ")"))
    }
    return .visitChildren
  }

  /// Whether the expression is a name, or a member of a name.
  private static func isPath(_ expression: ExprSyntax) -> Bool {
    if let member = expression.as(MemberAccessExprSyntax.self) { return member.base.map(isPath) ?? false }
    return expression.is(DeclReferenceExprSyntax.self)
  }
}
