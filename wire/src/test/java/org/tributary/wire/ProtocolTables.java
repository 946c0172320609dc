package org.tributary.wire;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/** Writes the tables of messages in {@code docs/protocol.md} from the schema. */
final class ProtocolTables {
    private static final String SCHEMA = "/org/tributary/wire/tributary-wire.xml";
    private static final String BEGIN = "<!-- generated from the message schema: do not edit -->\n";
    private static final String END = "<!-- end of what is generated -->\n";
    private static final Map<String, Integer> PRIMITIVES = Map.of("char", 1, "uint8", 1, "uint16", 2, "int32", 4,
        "int64", 8);
    private static final Map<String, String> TRAITS = Map.of("oneWay", "one-way", "answered", "answered", "payload",
        "with payload", "handshake", "of the handshake", "toRank", "to ranks too", "onlyToRank", "to ranks only");

    private final Element schema;
    private final Map<String, Element> types = new LinkedHashMap<>();
    private final Map<String, Integer> blockLengths = new LinkedHashMap<>();
    private final StringBuilder page = new StringBuilder();

    ProtocolTables() throws IOException {
        try (InputStream in = ProtocolTables.class.getResourceAsStream(SCHEMA)) {
            schema = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(in).getDocumentElement();
        } catch (ParserConfigurationException | SAXException e) {
            throw new IOException(SCHEMA, e);
        }
        for (Element type : children(children(schema, "types").getFirst(), "")) {
            types.put(type.getAttribute("name"), type);
        }
        page.append("Schema id ").append(schema.getAttribute("id")).append(", version ")
            .append(schema.getAttribute("version")).append(".\n");
        children(schema, "sbe:message").forEach(this::message);
        types.values().stream().filter(type -> type.getTagName().equals("enum")).forEach(this::enumeration);
    }

    /** The page with its generated part written anew. */
    String replaceIn(String old) {
        int begin = old.indexOf(BEGIN);
        int end = old.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IllegalArgumentException("the page has no markers " + BEGIN.strip() + " and " + END.strip());
        }
        return old.substring(0, begin) + BEGIN + page + old.substring(end);
    }

    /** Bytes of the block of each message, by its name. */
    Map<String, Integer> blockLengths() {
        return blockLengths;
    }

    private void message(Element message) {
        int length = children(message, "field").stream().mapToInt(field -> bytes(field.getAttribute("type"))).sum();
        blockLengths.put(message.getAttribute("name"), length);
        page.append("\n#### ").append(message.getAttribute("id")).append(' ').append(message.getAttribute("name"))
            .append("\n\n").append(message.getAttribute("description")).append(". Block of ").append(length)
            .append(" bytes").append(traits(message)).append(".\n");
        fields(message);
        for (Element group : children(message, "group")) {
            page.append("\nThen the group `").append(group.getAttribute("name"))
                .append("`: a group header, and for each entry\n");
            fields(group);
        }
        for (Element data : children(message, "data")) {
            page.append("\nThen `").append(data.getAttribute("name")).append("`: ")
                .append(types.get(data.getAttribute("type")).getAttribute("description")).append(".\n");
        }
    }

    private static String traits(Element message) {
        String words = message.getAttribute("semanticType");
        return words.isEmpty() ? "" : Stream.of(words.split(" ")).map(TRAITS::get).collect(joining(", ", "; ", ""));
    }

    private void fields(Element owner) {
        List<Element> fields = children(owner, "field");
        if (fields.isEmpty()) {
            return;
        }
        page.append("\n| offset | bytes | field | type |\n| --- | --- | --- | --- |\n");
        int offset = 0;
        for (Element field : fields) {
            String type = field.getAttribute("type");
            page.append("| ").append(offset).append(" | ").append(bytes(type)).append(" | `")
                .append(field.getAttribute("name")).append("` | ").append(describe(type)).append(" |\n");
            offset += bytes(type);
        }
    }

    private void enumeration(Element values) {
        page.append("\n#### Values of ").append(values.getAttribute("name")).append("\n\n")
            .append(values.getAttribute("description")).append(" (").append(values.getAttribute("encodingType"))
            .append(").\n\n| value | name |\n| --- | --- |\n");
        for (Element value : children(values, "validValue")) {
            page.append("| ").append(value.getTextContent()).append(" | `").append(value.getAttribute("name"))
                .append("` |\n");
        }
    }

    private String describe(String name) {
        Element type = types.get(name);
        if (type == null) {
            return name;
        }
        return switch (type.getTagName()) {
            case "enum" -> name + " (" + type.getAttribute("encodingType") + ")";
            case "composite" -> String.join(", ", children(type, "type").stream()
                .map(part -> "`" + part.getAttribute("name") + "` " + part.getAttribute("primitiveType")).toList());
            default -> type.getAttribute("primitiveType") + "[" + type.getAttribute("length") + "]";
        };
    }

    private int bytes(String name) {
        Element type = types.get(name);
        if (type == null) {
            return PRIMITIVES.get(name);
        }
        return switch (type.getTagName()) {
            case "enum" -> PRIMITIVES.get(type.getAttribute("encodingType"));
            case "composite" -> children(type, "type").stream()
                .mapToInt(part -> PRIMITIVES.get(part.getAttribute("primitiveType"))).sum();
            default -> PRIMITIVES.get(type.getAttribute("primitiveType"))
                * Integer.parseInt(type.getAttribute("length"));
        };
    }

    private static List<Element> children(Element owner, String tag) {
        List<Element> found = new ArrayList<>();
        for (Node node = owner.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element element && (tag.isEmpty() || element.getTagName().equals(tag))) {
                found.add(element);
            }
        }
        return found;
    }
}
