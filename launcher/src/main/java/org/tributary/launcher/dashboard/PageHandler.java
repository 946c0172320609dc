package org.tributary.launcher.dashboard;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.tributary.launcher.step.View;

/** One connection of a browser: a request for a file of the page, or for the steps. Owned by the event loop. */
final class PageHandler extends SimpleChannelInboundHandler<FullHttpRequest> implements Readers.Reader {
    /** The page may load nothing but its own files, and nobody may put it into a frame. */
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
        + " img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    private static final String EVENTS = "events";

    /** Of a connection on which nobody reads steps. */
    private static final long MAX_CONNECTION_MS = 5000;

    private final Readers readers;
    private final Resources resources;
    private final byte[] token;
    private ChannelHandlerContext context;
    private Future<?> giveUp;
    private View view = View.ALL;
    private String page = "";
    private boolean isAsked;
    private boolean hasToken;

    /** {@code token} is what addresses begin with. */
    PageHandler(Readers readers, Resources resources, String token) {
        this.readers = readers;
        this.resources = resources;
        this.token = token.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
        giveUp = added.executor().schedule(() -> added.close(), MAX_CONNECTION_MS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void channelInactive(ChannelHandlerContext gone) {
        giveUp.cancel(false);
        readers.remove(this);
    }

    /** One request a connection: no other one gets an answer, for which a peer that reads nothing would take memory. */
    @Override
    protected void channelRead0(ChannelHandlerContext from, FullHttpRequest request) {
        if (isAsked) {
            return;
        }
        isAsked = true;
        if (!request.decoderResult().isSuccess() || !request.method().equals(HttpMethod.GET)) {
            answer(HttpResponseStatus.BAD_REQUEST, "text/plain", bytes("GET only\n"));
            return;
        }
        QueryStringDecoder uri = new QueryStringDecoder(request.uri());
        String[] path = uri.path().split("/", 3); // "", the token, the file
        hasToken = path.length > 1 && isToken(path[1]);
        if (!hasToken) {
            answer(HttpResponseStatus.FORBIDDEN, "text/plain",
                bytes("The address of this page has a token, which 'tributary' prints.\n"));
        } else if (path.length == 2) {
            FullHttpResponse response = response(HttpResponseStatus.PERMANENT_REDIRECT, "text/plain", bytes(""));
            response.headers().set(HttpHeaderNames.LOCATION, uri.path() + "/"); // the page's own links are relative
            answer(response);
        } else if (path[2].equals(EVENTS)) {
            view = View.of(uri.parameters());
            page = uri.parameters().getOrDefault("page", List.of("")).getFirst();
            beginEvents();
        } else {
            Resources.Resource file = resources.get(path[2]);
            if (file == null) {
                answer(HttpResponseStatus.NOT_FOUND, "text/plain", bytes("no such file\n"));
            } else {
                answer(HttpResponseStatus.OK, file.type(), Unpooled.wrappedBuffer(file.bytes()));
            }
        }
    }

    /** Whether its request has come, with the right token. */
    boolean hasToken() {
        return hasToken;
    }

    /** Takes the same time whatever is wrong. */
    private boolean isToken(String given) {
        return MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), token);
    }

    private static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    private void answer(HttpResponseStatus status, String type, ByteBuf body) {
        answer(response(status, type, body));
    }

    private static FullHttpResponse response(HttpResponseStatus status, String type, ByteBuf body) {
        FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, body);
        setHeaders(response, type);
        response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
        response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        return response;
    }

    private void answer(FullHttpResponse response) {
        // What is no request goes on to be read, and thrown away: to close before would take the answer back.
        context.channel().config().setAutoRead(response.status().equals(HttpResponseStatus.BAD_REQUEST));
        context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
    }

    private static void setHeaders(HttpResponse response, String type) {
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, type + "; charset=utf-8")
            .set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE)
            .set(HttpHeaderNames.CONTENT_SECURITY_POLICY, POLICY)
            .set("referrer-policy", "no-referrer").set("x-content-type-options", "nosniff");
    }

    private void beginEvents() {
        if (!readers.add(this)) {
            answer(HttpResponseStatus.SERVICE_UNAVAILABLE, "text/plain",
                bytes("more than " + Readers.MOST + " look at this job already\n"));
            return;
        }
        giveUp.cancel(false);
        HttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        setHeaders(response, "text/event-stream");
        response.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
        context.write(response);
        readers.welcome(this);
        context.flush();
    }

    @Override
    public String page() {
        return page;
    }

    @Override
    public View view() {
        return view;
    }

    @Override
    public void event(String name, String data) {
        if (context.channel().isWritable()) {
            context.writeAndFlush(new DefaultHttpContent(bytes("event: " + name + "\ndata: " + data + "\n\n")));
        }
    }

    @Override
    public void end() {
        context.write(new DefaultHttpContent(bytes("event: end\ndata: {}\n\n")));
        context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void leave() {
        context.close();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext failed, Throwable cause) {
        failed.close();
    }
}
