/*
 * A peer in plain C: one connection, one SEND each way. It lets librdmacm own the queue pair, as C programs do.
 *
 *   cm_peer server ADDRESS PORT       takes one message and sends it back
 *   cm_peer client ADDRESS PORT       sends one message and takes one
 *   cm_peer hang ADDRESS PORT         connects like a client, then does nothing until it is killed
 */
#include <arpa/inet.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BYTES 64

static struct rdma_event_channel *channel;
static char in[BYTES], out[BYTES];
static struct ibv_mr *in_mr, *out_mr;

static void check(int failed, const char *what)
{
    if (failed) {
        perror(what);
        exit(1);
    }
}

/* Prints the private data, which are padded with zeros. */
static struct rdma_cm_id *expect(enum rdma_cm_event_type type)
{
    struct rdma_cm_event *event;
    struct rdma_cm_id *id;

    check(rdma_get_cm_event(channel, &event), "rdma_get_cm_event");
    printf("%s %d", rdma_event_str(event->event), event->status);
    if (event->param.conn.private_data_len)
        printf(" %s", (const char *) event->param.conn.private_data);
    printf("\n");
    if (event->event != type)
        exit(2);
    id = event->id;
    rdma_ack_cm_event(event);
    return id;
}

static void create(struct rdma_cm_id *id)
{
    struct ibv_qp_init_attr attr = {.cap = {4, 4, 1, 1, 0}, .qp_type = IBV_QPT_RC, .sq_sig_all = 1};

    check(rdma_create_qp(id, NULL, &attr), "rdma_create_qp");
    in_mr = rdma_reg_msgs(id, in, BYTES);
    out_mr = rdma_reg_msgs(id, out, BYTES);
    check(!in_mr || !out_mr, "rdma_reg_msgs");
    check(rdma_post_recv(id, NULL, in, BYTES, in_mr), "rdma_post_recv");
}

static void receive(struct rdma_cm_id *id)
{
    struct ibv_wc wc;

    check(rdma_get_recv_comp(id, &wc) != 1, "rdma_get_recv_comp");
    if (wc.status)
        exit(3);
    printf("received %s\n", in);
}

static void send_message(struct rdma_cm_id *id, const char *text)
{
    struct ibv_wc wc;

    strcpy(out, text);
    check(rdma_post_send(id, NULL, out, strlen(out) + 1, out_mr, 0), "rdma_post_send");
    check(rdma_get_send_comp(id, &wc) != 1, "rdma_get_send_comp");
    if (wc.status)
        exit(4);
}

static struct rdma_conn_param with(const char *text)
{
    struct rdma_conn_param param = {
        .private_data = text, .private_data_len = strlen(text) + 1,
        .responder_resources = 2, .initiator_depth = 2, .retry_count = 7, .rnr_retry_count = 7};
    return param;
}

static void serve(struct rdma_cm_id *listener, struct sockaddr_in *address)
{
    struct rdma_conn_param param = with("accepted by C");
    struct rdma_cm_id *id;

    check(rdma_bind_addr(listener, (struct sockaddr *) address), "rdma_bind_addr");
    check(rdma_listen(listener, 1), "rdma_listen");
    printf("listening at %d\n", ntohs(rdma_get_src_port(listener)));
    id = expect(RDMA_CM_EVENT_CONNECT_REQUEST);
    create(id);
    check(rdma_accept(id, &param), "rdma_accept");
    expect(RDMA_CM_EVENT_ESTABLISHED);
    receive(id);
    send_message(id, in);
    expect(RDMA_CM_EVENT_DISCONNECTED);
    rdma_disconnect(id);
}

static void connect_to(struct rdma_cm_id *id, struct sockaddr_in *address, int hang)
{
    struct rdma_conn_param param = with("asked by C");

    check(rdma_resolve_addr(id, NULL, (struct sockaddr *) address, 2000), "rdma_resolve_addr");
    expect(RDMA_CM_EVENT_ADDR_RESOLVED);
    check(rdma_resolve_route(id, 2000), "rdma_resolve_route");
    expect(RDMA_CM_EVENT_ROUTE_RESOLVED);
    create(id);
    check(rdma_connect(id, &param), "rdma_connect");
    expect(RDMA_CM_EVENT_ESTABLISHED);
    if (hang)
        pause();
    send_message(id, "hello from C");
    receive(id);
    rdma_disconnect(id);
    expect(RDMA_CM_EVENT_DISCONNECTED);
}

int main(int argc, char **argv)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[3]))};
    struct rdma_cm_id *id;

    setlinebuf(stdout);
    inet_pton(AF_INET, argv[2], &address.sin_addr);
    channel = rdma_create_event_channel();
    check(!channel, "rdma_create_event_channel");
    check(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP), "rdma_create_id");
    if (!strcmp(argv[1], "server"))
        serve(id, &address);
    else
        connect_to(id, &address, !strcmp(argv[1], "hang"));
    printf("done\n");
    return 0;
}
